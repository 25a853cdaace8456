import { beforeEach } from 'vitest';
import { createRedact } from '../../src/base/redaction/redact.ts';
import { createTrace, type Trace } from '../../src/gateway/entry/trace.ts';

/** So many lines are printed: the last ones, because a test mostly fails at its end. */
const MAX_LINES = 100;

/** A trace of what the gateways of a test say and hear. A test that fails prints it on stderr. */
export function traceOnFailure(): Trace {
  const lines: string[] = [];
  let written = 0;
  beforeEach(({ task, onTestFailed }) => {
    lines.length = 0;
    written = 0;
    onTestFailed(() => {
      const left = written > lines.length ? `, the last ${lines.length} of ${written} lines` : '';
      process.stderr.write(`\nTrace of "${task.name}"${left}:\n${lines.join('\n')}\n`);
    });
  });
  return createTrace({
    redact: createRedact([]),
    sink: {
      isOpen: true,
      write(line) {
        written++;
        lines.push(line);
        if (lines.length > MAX_LINES) lines.shift();
      },
      close: async () => {},
    },
  });
}
