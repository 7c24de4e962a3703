/** Loaded with `--import` before a program: SQLite runs a checkpoint after a few pages instead of 1000. */
import Sqlite from 'better-sqlite3';

// oxlint-disable-next-line @typescript-eslint/unbound-method -- it is called with its own database
const { exec } = Sqlite.prototype;

Sqlite.prototype.exec = function execThenSet(sql) {
  exec.call(this, sql);
  return sql.includes('journal_mode') ? exec.call(this, 'PRAGMA wal_autocheckpoint = 40') : this;
};
