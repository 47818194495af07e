-- What a document is, page numbers as printed, text mended by hand, and folders that a case keeps up with.

CREATE TABLE document_fields (
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    name        TEXT    NOT NULL,
    value       TEXT    NOT NULL,
    page        INTEGER,
    start       INTEGER,
    end         INTEGER,
    PRIMARY KEY (document_id, position)
) WITHOUT ROWID;
-- Names whose values the user wrote, none of them perhaps: reading the document again leaves them alone.
CREATE TABLE edited_fields (
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    name        TEXT    NOT NULL,
    PRIMARY KEY (document_id, name)
) WITHOUT ROWID;

-- The number printed on a page, behind its volume where one is.
ALTER TABLE pages ADD COLUMN label TEXT NOT NULL DEFAULT '';

-- The page as it was read, where the user wrote its text anew. Not of `pages`, whose rows go when a document is read
-- again: a correction stays.
CREATE TABLE page_corrections (
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    text        TEXT    NOT NULL,
    read_text   TEXT    NOT NULL,
    read_state  TEXT    NOT NULL,
    read_boxes  BLOB,
    changed     REAL    NOT NULL,
    PRIMARY KEY (document_id, number)
);

-- Paths and names as the operating system's bytes, which need not be text. `removes`: what is deleted in the folder
-- leaves the case too; else it is only marked.
CREATE TABLE watched_folders (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    case_id INTEGER NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    path    BLOB    NOT NULL,
    removes INTEGER NOT NULL DEFAULT 0,
    added   REAL    NOT NULL,
    UNIQUE (case_id, path)
);
CREATE TABLE watched_files (
    folder_id   INTEGER NOT NULL REFERENCES watched_folders (id) ON DELETE CASCADE,
    name        BLOB    NOT NULL,
    size        INTEGER NOT NULL,
    modified    INTEGER NOT NULL,
    inode       INTEGER NOT NULL,
    document_id INTEGER REFERENCES documents (id) ON DELETE SET NULL,
    gone        INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (folder_id, name)
) WITHOUT ROWID;
CREATE INDEX watched_files_document ON watched_files (document_id);
