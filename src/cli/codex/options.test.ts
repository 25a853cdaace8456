import { expect, test } from 'vitest';
import { parseCodexOptions } from './options.ts';

const DEFAULTS = {
  tools: 'core',
  engine: 'auto',
  maxSandbox: undefined,
  allowsDanger: false,
  roots: [],
  approvals: undefined,
  maxWaitSeconds: undefined,
  hasEvents: true,
};

test.each([
  [['--nonsense'], 'switchboard codex does not accept "--nonsense".'],
  [['gateway'], 'switchboard codex does not accept "gateway".'],
  [
    ['--allow-dangerous=yes'],
    'switchboard codex does not accept "--allow-dangerous=yes". Did you mean --allow-dangerous?',
  ],
  [['--tools'], '--tools needs a value.'],
  [['--tools', '--engine', 'exec'], '--tools needs a value.'],
  [['--tools', 'none'], '--tools must be one of core, full, compat, all, not "none".'],
  [['--engine='], '--engine must be one of auto, app-server, exec, not "".'],
  [
    ['--max-sandbox', 'none'],
    '--max-sandbox must be one of read-only, workspace-write, danger-full-access, not "none".',
  ],
  [['--approvals', 'all'], '--approvals must be one of any, user, none, not "all".'],
  [['--max-wait', '0'], '--max-wait must be a number of seconds above 0, not "0".'],
  [['--max-wait=1.5'], '--max-wait must be a number of seconds above 0, not "1.5".'],
])('rejects invalid options: %j', (args, message) => {
  expect(() => parseCodexOptions(args)).toThrow(
    expect.objectContaining({ code: 'USAGE', message: `${message} See: switchboard codex --help` }),
  );
});

test('returns the defaults, also for the legacy mcp-server command', () => {
  expect(parseCodexOptions([])).toEqual(DEFAULTS);
  expect(parseCodexOptions(['mcp-server'])).toEqual({ ...DEFAULTS, tools: 'compat' });
  expect(parseCodexOptions(['mcp-server', '--tools', 'all'])).toEqual({ ...DEFAULTS, tools: 'all' });
});

test('reads every option in both forms; the last value wins, and roots accumulate', () => {
  expect(
    parseCodexOptions([
      '--tools=core',
      '--tools',
      'full',
      '--engine=exec',
      '--max-sandbox',
      'read-only',
      '--allow-dangerous',
      '--allow-root',
      '/a',
      '--allow-root=/b=c',
      '--max-wait',
      '120',
      '--no-events',
      '--approvals=user',
    ]),
  ).toEqual({
    tools: 'full',
    engine: 'exec',
    maxSandbox: 'read-only',
    allowsDanger: true,
    roots: ['/a', '/b=c'],
    approvals: 'user',
    maxWaitSeconds: 120,
    hasEvents: false,
  });
});
