-- Reviews of a case. `template` is kept whole, as it was used; `documents` with the hashes of their bytes. A finding is
-- written the moment it is worked out; `basis` hashes all it was worked out from, so that a later review can take it
-- over where nothing of that has changed.
CREATE TABLE reviews (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    case_id       INTEGER NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    template_id   TEXT    NOT NULL,
    template_hash TEXT    NOT NULL,
    template      BLOB    NOT NULL,
    items         INTEGER NOT NULL,
    language      TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    documents     BLOB    NOT NULL,
    state         TEXT    NOT NULL,
    timing        BLOB    NOT NULL,
    created       REAL    NOT NULL,
    changed       REAL    NOT NULL
);
CREATE INDEX reviews_case ON reviews (case_id, created);
CREATE TABLE findings (
    review_id INTEGER NOT NULL REFERENCES reviews (id) ON DELETE CASCADE,
    item      TEXT    NOT NULL,
    basis     TEXT    NOT NULL,
    finding   BLOB    NOT NULL,
    changed   REAL    NOT NULL,
    PRIMARY KEY (review_id, item)
);
