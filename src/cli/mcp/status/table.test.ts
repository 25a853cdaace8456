import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayWidth } from '../../../base/text/display-width.ts';
import { briefTable, serverTable, sessionTable, type TableRow } from './table.ts';

const ready: TableRow = {
  ...{ id: 'files', transport: 'stdio', source: 'global', enabled: true, state: 'ready' },
  ...{ tools: 3, calls: 12, underWay: 2, p50Ms: 4.2 },
};
const asking: TableRow = {
  ...{ id: 'github', transport: 'http', source: 'project', enabled: true, state: 'auth_required', tools: 0, calls: 0 },
  ...{ note: 'nobody is signed in', next: 'switchboard mcp login github' },
};
const unknown: TableRow = { id: 'odd one', transport: undefined, source: 'codex', enabled: false, state: '-' };

describe('a table of servers', () => {
  test('without a terminal has one line per server, with the full note', () => {
    expect(serverTable([ready, asking, unknown], undefined)).toEqual([
      'id         transport  source   enabled  state          tools  calls  p50     note',
      'files      stdio      global   yes      ready          3      12+2   4.2 ms',
      'github     http       project  yes      auth_required  0      0      -       nobody is signed in → switchboard mcp login github',
      '"odd one"  -          codex    no       -              -      -      -',
    ]);
  });

  test('truncates the reason and keeps the command if both do not fit', () => {
    expect(serverTable([asking], 110)).toEqual([
      'id      transport  source   enabled  state          tools  calls  p50  note',
      'github  http       project  yes      auth_required  0      0      -    nobody… → switchboard mcp login github',
    ]);
  });

  test('in 80 columns puts the note below its row', () => {
    expect(serverTable([ready, asking], 80)).toEqual([
      'id      transport  source   enabled  state          tools  calls  p50',
      'files   stdio      global   yes      ready          3      12+2   4.2 ms',
      'github  http       project  yes      auth_required  0      0      -',
      '    nobody is signed in → switchboard mcp login github',
    ]);
  });

  test('truncates an id last', () => {
    const long = { ...ready, id: 'the-server-of-the-archive', source: 'command-line' };
    expect(serverTable([long], 80)).toEqual([
      'id                        transport source      enabled state tools calls p50',
      'the-server-of-the-archive stdio     command-li… yes     ready 3     12+2  4.2 ms',
    ]);
    expect([64, 44, 36, 20].map((width) => serverTable([long], width)[1])).toEqual([
      'the-server-of-the-archive command-line ready 3     12+2  4.2 ms',
      'the-server-of-the-archive ready 3     12+2',
      'the-server-of-the-archi… ready 3',
      'the-ser… ready 3',
    ]);
  });

  test('in 60 columns omits the least important columns, and truncates nothing', () => {
    expect(serverTable([ready, asking], 60)).toEqual([
      'id     transport source  state         tools calls p50',
      'files  stdio     global  ready         3     12+2  4.2 ms',
      'github http      project auth_required 0     0     -',
      '    nobody is signed in → switchboard mcp login github',
    ]);
    expect(serverTable([ready, asking], 40)).toEqual([
      'id     state         tools calls p50',
      'files  ready         3     12+2  4.2 ms',
      'github auth_required 0     0     -',
      '    nobody is signed in',
      '    → switchboard mcp login github',
    ]);
  });

  test('in brief, omits the columns in which no row has a value', () => {
    const configured: TableRow = { id: 'files', transport: 'stdio', source: 'global', enabled: true, state: '-' };
    const off: TableRow = { ...configured, id: 'off', enabled: false, state: 'disabled', note: 'disabled by a.json:8' };
    expect(briefTable([configured], 80)).toEqual([
      'id     transport  source  enabled',
      'files  stdio      global  yes',
    ]);
    expect(briefTable([configured, off], 80)).toEqual([
      'id     transport  source  enabled  state     note',
      'files  stdio      global  yes      -',
      'off    stdio      global  no       disabled  disabled by a.json:8',
    ]);
  });

  test('prints the command once if the reason contains it', () => {
    const note = 'sign in first. Run: switchboard mcp login github';
    expect(serverTable([{ ...asking, note }], undefined)[1]?.endsWith(`  ${note}`)).toBe(true);
  });

  test('prints no control characters', () => {
    const hostile = {
      ...ready,
      id: 'a\u001b[2J',
      source: '\u001b]0;x\u0007s',
      note: 'a\u001b[31m\nb',
      next: '\u202ec',
    };
    expect(serverTable([hostile], undefined)[1]).toBe(
      '"a\\u001b[2J"  stdio      s       yes      ready  3      12+2   4.2 ms  a b → c',
    );
  });

  test('is never wider than the terminal', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    const row = fc.record({ id: text, source: text, note: text, next: text, calls: fc.nat() });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 4 }), fc.integer({ min: 1, max: 200 }), (rows, width) => {
        const lines = serverTable(
          rows.map((one) => ({ ...ready, ...one })),
          width,
        );
        return lines.every((line) => displayWidth(line) <= width && !line.includes('\n'));
      }),
    );
  });
});

test('lists codex sessions with their pending questions, and truncates the title first', () => {
  const session = { id: '0199a', state: 'running', questions: 1, cwd: '/home/me/project', title: 'Correct the\ntests' };
  expect([
    sessionTable([session, { id: '2', state: 'idle', questions: 0 }], undefined),
    sessionTable([session], 55),
  ]).toEqual([
    [
      'session  state    questions  folder            title',
      '0199a    running  1          /home/me/project  Correct the tests',
      '2        idle     0          -',
    ],
    ['session state   questions folder           title', '0199a   running 1         /home/me/project Correct the…'],
  ]);
});
