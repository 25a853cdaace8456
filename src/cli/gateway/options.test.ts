import { expect, test } from 'vitest';
import { summaryLine } from '../../gateway/status/summary.ts';
import { checkCommand, parseGatewayOptions } from './options.ts';

test('the summary suggests a command that checks the selected servers', () => {
  const problems = [{ file: 'a.json', line: 3, message: 'One has no command.' }];
  const suggested = (...args: readonly string[]) =>
    /\(run: (.*)\)/u.exec(summaryLine([], problems, checkCommand(parseGatewayOptions(args))))?.[1];
  expect(suggested()).toBe('switchboard gateway --check');
  expect(suggested('--config', 'my a.json', '--config=b.json', '--only', 'x, y', '--lazy')).toBe(
    "switchboard gateway --config 'my a.json' --config b.json --only x,y --check",
  );
});
