-- What a reader said of each page: why it is not simply good text, and how sure the text recognition was (0 to 1).
ALTER TABLE pages ADD COLUMN problem TEXT NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN confidence REAL;
