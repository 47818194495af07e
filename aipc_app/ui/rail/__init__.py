"""The rail at the left: screens, and what engine and jobs are doing."""
