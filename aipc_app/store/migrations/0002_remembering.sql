-- What the model remembers, as last seen; the bytes themselves are the engine's, outside this file, and may go.

CREATE TABLE remembered (
    case_id      INTEGER NOT NULL,
    document_id  INTEGER NOT NULL,
    model        TEXT    NOT NULL,
    tokens       INTEGER NOT NULL,
    known_tokens INTEGER NOT NULL,
    PRIMARY KEY (case_id, document_id),
    FOREIGN KEY (case_id, document_id) REFERENCES case_documents (case_id, document_id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX remembered_model ON remembered (model);

-- Cases whose memory the user had deleted: not read ahead again by itself.
CREATE TABLE not_read_ahead (
    case_id INTEGER PRIMARY KEY REFERENCES cases (id) ON DELETE CASCADE
);

-- Cases and documents that are gone while what the model read of them is still to be deleted. No foreign keys: the
-- rows outlive what they are about.
CREATE TABLE to_forget (
    label TEXT PRIMARY KEY
) WITHOUT ROWID;
