import { beforeEach } from 'vitest';
import { createRedact } from '../../src/base/redaction/redact.ts';
import { createTrace, type Trace } from '../../src/gateway/trace/trace.ts';

/** The number of lines to print. Prints the last ones, because most tests fail at their end. */
const MAX_LINES = 100;

/** Traces the messages of a test's gateways. A failing test prints the trace on stderr. */
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
