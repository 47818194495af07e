-- The truth of one home. Times are seconds since 1970 (UTC); offsets count Unicode code points of a page's text.
-- Ids are never used twice (AUTOINCREMENT): what other stores remember about a deleted one can't meet a new one.

CREATE TABLE cases (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT    NOT NULL CHECK (kind IN ('case', 'library')),
    name     TEXT    NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0,
    trashed  INTEGER NOT NULL DEFAULT 0,
    created  REAL    NOT NULL,
    opened   REAL    NOT NULL
);
-- A name in the trash is free again.
CREATE UNIQUE INDEX cases_name ON cases (name) WHERE trashed = 0 AND kind = 'case';
INSERT INTO cases (id, kind, name, created, opened) VALUES (1, 'library', 'Law library', 0, 0);

CREATE TABLE documents (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    sha256     TEXT    NOT NULL UNIQUE,
    name       TEXT    NOT NULL,
    size       INTEGER NOT NULL,
    status     TEXT    NOT NULL,
    reason     TEXT,
    retryable  INTEGER NOT NULL DEFAULT 0,
    pages      INTEGER NOT NULL DEFAULT 0,
    passages   INTEGER NOT NULL DEFAULT 0,
    has_layout INTEGER NOT NULL DEFAULT 0,
    added      REAL    NOT NULL
);

CREATE TABLE case_documents (
    case_id     INTEGER NOT NULL REFERENCES cases (id),
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    PRIMARY KEY (case_id, document_id)
) WITHOUT ROWID;
CREATE INDEX case_documents_document ON case_documents (document_id);

CREATE TABLE pages (
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    state       TEXT    NOT NULL,
    width       REAL    NOT NULL,
    height      REAL    NOT NULL,
    text        TEXT    NOT NULL,
    UNIQUE (document_id, number)
);
-- Apart from the text, because they are ten times its size and only a highlight needs them. zlib of domain.boxes.
CREATE TABLE page_boxes (
    document_id INTEGER NOT NULL,
    number      INTEGER NOT NULL,
    boxes       BLOB    NOT NULL,
    UNIQUE (document_id, number),
    FOREIGN KEY (document_id, number) REFERENCES pages (document_id, number) ON DELETE CASCADE
);

-- Thin rows: a keyword search looks at one for every match, so the words themselves live next door.
CREATE TABLE passages (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    page        INTEGER NOT NULL,
    start       INTEGER NOT NULL,
    end         INTEGER NOT NULL
);
CREATE INDEX passages_document ON passages (document_id);
CREATE TABLE passage_texts (
    id      INTEGER PRIMARY KEY REFERENCES passages (id) ON DELETE CASCADE,
    text    TEXT NOT NULL,
    heading TEXT,
    article TEXT,
    tokens  TEXT NOT NULL
);
-- Tokens are cut and lowered by the text room; here everything but spaces and controls belongs to a token, so
-- that c++, 3.14 and 五十万 stay whole. The content is the table above: SQLite before 3.43 can't delete from an
-- index that has none.
CREATE VIRTUAL TABLE passage_index USING fts5 (
    tokens, content = 'passage_texts', content_rowid = 'id',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cn'"
);
-- In how many passages each token is; a view of the index, it stores nothing.
CREATE VIRTUAL TABLE passage_words USING fts5vocab (passage_index, row);
CREATE TRIGGER passage_texts_inserted AFTER INSERT ON passage_texts BEGIN
    INSERT INTO passage_index (rowid, tokens) VALUES (new.id, new.tokens);
END;
CREATE TRIGGER passage_texts_deleted AFTER DELETE ON passage_texts BEGIN
    INSERT INTO passage_index (passage_index, rowid, tokens) VALUES ('delete', old.id, old.tokens);
END;

CREATE TABLE facts (
    kind       TEXT    NOT NULL,
    value      TEXT    NOT NULL,
    passage_id INTEGER NOT NULL REFERENCES passages (id) ON DELETE CASCADE,
    PRIMARY KEY (kind, value, passage_id)
) WITHOUT ROWID;
CREATE INDEX facts_passage ON facts (passage_id);

CREATE TABLE embedders (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT    NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL
);
-- Little-endian float32, L2-normalised. One passage may have vectors of two embedders while one replaces the other.
CREATE TABLE vectors (
    passage_id  INTEGER NOT NULL REFERENCES passages (id) ON DELETE CASCADE,
    embedder_id INTEGER NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    vector      BLOB    NOT NULL,
    PRIMARY KEY (passage_id, embedder_id)
);
CREATE INDEX vectors_embedder ON vectors (embedder_id);

CREATE TABLE jobs (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT    NOT NULL,
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    state       TEXT    NOT NULL,
    attempts    INTEGER NOT NULL DEFAULT 0,
    reason      TEXT,
    changed     REAL    NOT NULL
);
CREATE UNIQUE INDEX jobs_queued_once ON jobs (kind, document_id) WHERE state = 'queued';
CREATE INDEX jobs_state ON jobs (state);
CREATE INDEX jobs_document ON jobs (document_id);

CREATE TABLE conversations (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    title   TEXT    NOT NULL,
    library INTEGER NOT NULL,
    created REAL    NOT NULL,
    changed REAL    NOT NULL
);
CREATE TABLE conversation_cases (
    conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    case_id         INTEGER NOT NULL REFERENCES cases (id),
    PRIMARY KEY (conversation_id, position)
) WITHOUT ROWID;
CREATE INDEX conversation_cases_case ON conversation_cases (case_id);
-- `turn` is JSON of domain.Turn as it was shown; question and answer are repeated for looking through them.
CREATE TABLE turns (
    conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    number          INTEGER NOT NULL,
    question        TEXT    NOT NULL,
    answer          TEXT    NOT NULL,
    turn            BLOB    NOT NULL,
    UNIQUE (conversation_id, number)
);
