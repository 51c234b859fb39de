import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TcpDoor, postgresUnderTest, waitUntil, type PostgresUnderTest } from '#testing';
import { AdvisoryLocks } from './advisory-locks.js';
import { Database } from './database.js';
import { DatabaseUnavailable, sqlStateOf, type Sql } from './sql.js';

let postgres: PostgresUnderTest;
let database: Database;
let admin: Database;
let problems: unknown[];

beforeAll(async () => {
  postgres = await postgresUnderTest();
});
afterAll(async () => {
  await postgres.stop();
});
const open = (applicationName: string, poolMax = 2): Promise<Database> =>
  Database.open({
    url: postgres.url,
    applicationName,
    entities: [],
    poolMax,
    onProblem: (problem) => problems.push(problem),
  });
beforeEach(async () => {
  problems = [];
  database = await open('under-test');
  admin = await open('admin');
  await admin.sql.execute('CREATE TABLE IF NOT EXISTS note (id integer PRIMARY KEY)');
  await admin.sql.execute('TRUNCATE note');
});
afterEach(async () => {
  await database.close();
  await admin.close();
});

const notes = async (): Promise<number[]> =>
  (await admin.sql.query<{ id: number }>('SELECT id FROM note ORDER BY id')).map(({ id }) => id);
const pidOf = async (sql: Sql): Promise<number> =>
  (await sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]!.pid;
const cut = async (pid: number): Promise<void> => {
  await admin.sql.query('SELECT pg_terminate_backend($1)', [pid]);
  await waitUntil('the connection to be gone', async () => {
    const rows = await admin.sql.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid]);
    return rows.length === 0;
  });
};
/** A statement that fails with this SQLSTATE; a lost connection is a real one. */
const raising = (state: string): string =>
  state === '57P01'
    ? 'SELECT pg_terminate_backend(pg_backend_pid())'
    : `DO $$ BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '${state}'; END $$`;

describe('a transaction', () => {
  it('is written whole', async () => {
    const answer = await database.transaction(async (sql) => {
      await sql.execute('INSERT INTO note VALUES (1)');
      return sql.execute('INSERT INTO note VALUES (2), (3)');
    });
    expect([answer, await notes()]).toEqual([2, [1, 2, 3]]);
  });

  it('leaves nothing when its work fails, and tells that error', async () => {
    const failure = new Error('not today');
    const transaction = database.transaction(async (sql) => {
      await sql.execute('INSERT INTO note VALUES (1)');
      throw failure;
    });
    await expect(transaction).rejects.toBe(failure);
    expect(await notes()).toEqual([]);
    expect(await pidOf(database.sql)).toBe(await pidOf(database.sql)); // Its connection is as good as new.
  });

  it('does not end as if it were written when its work swallowed an error', async () => {
    const transaction = database.transaction(async (sql) => {
      await sql.execute('INSERT INTO note VALUES (1)');
      await expect(sql.execute('SELECT 1/0')).rejects.toThrow();
    });
    await expect(transaction).rejects.toThrow('ROLLBACK');
    expect(await notes()).toEqual([]);
  });

  it('@FM-59 tells the first error when the rollback fails as well, and destroys the connection', async () => {
    let pid = 0;
    const transaction = database.transaction(async (sql) => {
      pid = await pidOf(sql);
      await sql.execute('INSERT INTO note VALUES (1)');
      await cut(pid);
      await sql.execute('INSERT INTO note VALUES (2)');
    });
    const error: unknown = await transaction.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(sqlStateOf(error)).toBe('57P01');
    expect(await notes()).toEqual([]);
    expect(await pidOf(database.sql)).not.toBe(pid);
  });

  it('@FM-59 tells the error of its work, not of the connection that was lost after it', async () => {
    let pid = 0;
    const transaction = database.transaction(async (sql) => {
      pid = await pidOf(sql);
      try {
        await sql.execute('SELECT 1/0');
      } finally {
        await cut(pid);
      }
    });
    await expect(transaction).rejects.toMatchObject({ code: '22012' });
    expect(await pidOf(database.sql)).not.toBe(pid);
  });

  it.each([
    { state: '40001', repeatOnConflict: true, tries: 5 },
    { state: '40P01', repeatOnConflict: true, tries: 5 },
    { state: '23505', repeatOnConflict: true, tries: 1 },
    { state: '57P01', repeatOnConflict: true, tries: 1 },
    { state: '40001', repeatOnConflict: false, tries: 1 },
    { state: '40P01', repeatOnConflict: false, tries: 1 },
  ])(
    '@FM-61 that always meets $state is tried $tries times (repeatOnConflict: $repeatOnConflict)',
    async ({ state, repeatOnConflict, tries }) => {
      let tried = 0;
      const transaction = database.transaction(
        async (sql) => {
          tried += 1;
          await sql.execute('INSERT INTO note VALUES (1)');
          await sql.execute(raising(state));
        },
        { repeatOnConflict },
      );
      await expect(transaction).rejects.toMatchObject({ code: state });
      expect([tried, await notes()]).toEqual([tries, []]);
    },
  );

  it('@FM-61 is run again after a deadlock where its caller allows that, and only there', async () => {
    await database.sql.execute('INSERT INTO note VALUES (1), (2)');
    const lock = (sql: Sql, id: number): Promise<number> =>
      sql.execute('UPDATE note SET id = id WHERE id = $1', [id]);
    const deadlock = async (
      repeatOnConflict: boolean,
    ): Promise<readonly PromiseSettledResult<number>[]> => {
      const arrived = [0, 0];
      const oneWay =
        (own: 0 | 1) =>
        async (sql: Sql): Promise<number> => {
          await lock(sql, own + 1);
          arrived[own]! += 1;
          await waitUntil('the other', () => arrived[1 - own]! > 0);
          return lock(sql, 2 - own);
        };
      return Promise.allSettled([
        database.transaction(oneWay(0), { repeatOnConflict }),
        database.transaction(oneWay(1), { repeatOnConflict }),
      ]);
    };
    expect((await deadlock(true)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    const lost = (await deadlock(false)).filter((one) => one.status === 'rejected');
    expect(lost.map(({ reason }) => sqlStateOf(reason))).toEqual(['40P01']);
  });
});

describe('a table that the planner takes for empty', () => {
  const planOf = async (sql: Sql): Promise<string> => {
    const rows = await sql.query<{ 'QUERY PLAN': string }>(
      'EXPLAIN SELECT id FROM note WHERE id = 1',
    );
    return rows.map((row) => row['QUERY PLAN']).join(' ');
  };

  it('is asked by its key where all statements name rows by key, and walked through elsewhere', async () => {
    await admin.sql.execute('ANALYZE note'); // It is empty: a walk looks cheap.
    const byKey = await Database.open({
      url: postgres.url,
      applicationName: 'by-key',
      entities: [],
      asksByKey: true,
    });
    try {
      expect(await planOf(byKey.sql)).toMatch(/Index/);
      expect(await planOf(database.sql)).toMatch(/Seq Scan/);
    } finally {
      await byKey.close();
    }
  });
});

describe('a pool whose server goes away', () => {
  it('@FM-60 survives the end of an idle and of a checked-out connection', async () => {
    const checkedOut = database.transaction(async (sql) => {
      const pid = await pidOf(sql);
      const other = await pidOf(database.sql);
      await cut(pid);
      await cut(other);
      return pidOf(sql);
    });
    await expect(checkedOut).rejects.toThrow();
    // A connection is not known to be lost before its socket says so: until then a statement may still meet it.
    await waitUntil('a sound connection', () => database.isReachable());
    expect(await pidOf(database.sql)).toBeGreaterThan(0);
    expect(problems.length).toBeGreaterThanOrEqual(2);
  });

  it('@FM-60 answers again after SIGKILL and restart, and says in between that it can not', async () => {
    expect(await database.isReachable()).toBe(true);
    await postgres.server.kill();
    expect(await database.isReachable()).toBe(false);
    await expect(database.read((source) => source.query('SELECT 1'))).rejects.toBeInstanceOf(
      DatabaseUnavailable,
    );
    await postgres.server.restart();
    await waitUntil('the database to answer', () => database.isReachable());
    expect(await notes()).toEqual([]);
  });

  it('tells a wrong query from a database that is away', async () => {
    const wrong = database.read((source) => source.query('SELECT * FROM no_such_table'));
    await expect(wrong).rejects.not.toBeInstanceOf(DatabaseUnavailable);
  });

  it('is opened as soon as there is a server', async () => {
    await postgres.server.kill();
    const opening = open('late');
    await waitUntil('a failed attempt', () => problems.length > 0);
    await postgres.server.restart();
    const late = await opening;
    expect(await late.isReachable()).toBe(true);
    await late.close();
  });

  it('is not waited for longer than wanted', async () => {
    const giveUp = new AbortController();
    const opening = Database.open(
      {
        url: 'postgres://nobody:nothing@127.0.0.1:1/none',
        applicationName: 'hopeless',
        entities: [],
        onProblem: () => giveUp.abort(new Error('gave up')),
      },
      giveUp.signal,
    );
    await expect(opening).rejects.toThrow();
  });
});

describe('an advisory lock', () => {
  const locksOf = (): AdvisoryLocks =>
    new AdvisoryLocks({
      url: postgres.url,
      applicationName: 'locks',
      onProblem: (problem) => problems.push(problem),
    });

  it('is held by one at a time, and freed by its end', async () => {
    const [one, other] = [locksOf(), locksOf()];
    expect([await one.tryAcquire('a'), await one.tryAcquire('a')]).toEqual([true, true]);
    expect([await other.tryAcquire('a'), await other.tryAcquire('b')]).toEqual([false, true]);
    await one.close();
    await waitUntil('the lock to be free', () => other.tryAcquire('a'));
    await other.close();
  });

  it('is had beside others that are asked for at the same moment, over one connection', async () => {
    const [one, other] = [locksOf(), locksOf()];
    const names = ['a', 'b', 'c'];
    expect(await Promise.all(names.map((name) => one.tryAcquire(name)))).toEqual([
      true,
      true,
      true,
    ]);
    await one.close();
    // A connection that nobody knows of any more would keep its lock for as long as its process lives.
    for (const name of names) await waitUntil(`${name} to be free`, () => other.tryAcquire(name));
    await other.close();
  });

  it('is given up by name', async () => {
    const [one, other] = [locksOf(), locksOf()];
    await one.tryAcquire('a');
    await one.release('a');
    expect([one.holds('a'), await other.tryAcquire('a')]).toEqual([false, true]);
    await one.close();
    await other.close();
  });

  it('does not stay with a holder that hangs, who is told as soon as it can hear', async () => {
    const url = new URL(postgres.url);
    const door = await TcpDoor.open('127.0.0.1', Number(url.port));
    url.port = String(door.port);
    const hanging = new AdvisoryLocks({ url: url.href, applicationName: 'hangs' });
    const lost: string[] = [];
    hanging.onLost((name) => lost.push(name));
    const other = locksOf();
    try {
      await hanging.tryAcquire('a');
      door.shut(); // To the server, a process that is frozen: connected, and silent.
      await waitUntil('the lock to be free', () => other.tryAcquire('a'));
      door.reopen();
      await waitUntil('the loss to be told', () => lost.length > 0);
      expect(lost).toEqual(['a']);
    } finally {
      await Promise.all([hanging.close(), other.close()]);
      await door.close();
    }
  });

  it('is lost with its connection, and its holder is told', async () => {
    const [one, other] = [locksOf(), locksOf()];
    const lost: string[] = [];
    one.onLost((name) => lost.push(name));
    await one.tryAcquire('a');
    await postgres.server.kill();
    await waitUntil('the loss to be told', () => lost.length > 0);
    expect([lost, one.holds('a')]).toEqual([['a'], false]);
    await expect(other.tryAcquire('a')).rejects.toThrow();
    await postgres.server.restart();
    expect(await other.tryAcquire('a')).toBe(true);
    expect(await one.tryAcquire('a')).toBe(false);
    await one.close();
    await other.close();
  });
});
