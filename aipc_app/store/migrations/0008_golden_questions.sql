-- Questions that a user keeps for a case, each with what its answer must say; '' where it must be refused. `expected`
-- has a fact a line. A run asks all of a case's; its results stay, so that the next one can be held against them.
CREATE TABLE golden_questions (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    case_id  INTEGER NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    question TEXT    NOT NULL,
    expected TEXT    NOT NULL,
    created  REAL    NOT NULL,
    UNIQUE (case_id, question)
);
CREATE TABLE golden_runs (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    case_id  INTEGER NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    model    TEXT    NOT NULL,
    settings TEXT    NOT NULL,
    started  REAL    NOT NULL
);
CREATE INDEX golden_runs_case ON golden_runs (case_id, id);
CREATE TABLE golden_results (
    run_id      INTEGER NOT NULL REFERENCES golden_runs (id) ON DELETE CASCADE,
    question_id INTEGER NOT NULL REFERENCES golden_questions (id) ON DELETE CASCADE,
    result      BLOB    NOT NULL,
    PRIMARY KEY (run_id, question_id)
) WITHOUT ROWID;

-- How a model did when its own check of answers was put to the test: JSON lists of probabilities.
CREATE TABLE judge_checks (
    identity   TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    answered   BLOB    NOT NULL,
    unanswered BLOB    NOT NULL,
    measured   REAL    NOT NULL,
    PRIMARY KEY (identity, version)
) WITHOUT ROWID;
