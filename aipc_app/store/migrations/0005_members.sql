-- Files inside files: attachments of mail, what archives hold. `document_id` is empty for one that was not taken in
-- (`problem` says why) and for one that was deleted since. `was_known`: its bytes had been there before.
CREATE TABLE members (
    container_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    position     INTEGER NOT NULL,
    name         TEXT    NOT NULL,
    document_id  INTEGER REFERENCES documents (id) ON DELETE SET NULL,
    was_known    INTEGER NOT NULL DEFAULT 0,
    problem      TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (container_id, position)
) WITHOUT ROWID;
CREATE INDEX members_document ON members (document_id);
