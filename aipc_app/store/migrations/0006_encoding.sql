-- Of plain text, web pages, tables and mail: the charset its bytes were found to be in.
ALTER TABLE documents ADD COLUMN encoding TEXT NOT NULL DEFAULT '';
