import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { switchboard } from '../interop/programs.ts';
import type { Testbed } from '../mcp/testbed.ts';
import type { ProcessTracker } from '../processes.ts';

/** One finding of `doctor --json`, with the name of its section. */
export interface ReportedFinding {
  readonly section: string;
  readonly check: string;
  readonly title: string;
  readonly state: 'ok' | 'note' | 'warning' | 'failure';
  readonly detail?: readonly string[];
  readonly fix?: string;
  readonly advice?: string;
  readonly code?: string;
  readonly fixable: boolean;
  readonly fixed?: boolean;
}

interface DoctorOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `switchboard doctor --json`. */
export async function runDoctor(testbed: Testbed, { args = [], env = {} }: DoctorOptions = {}) {
  const { status, stdout, stderr } = await testbed.run(['doctor', '--json', ...args], { env });
  const document = JSON.parse(stdout);
  const findings: readonly ReportedFinding[] = document.sections.flatMap(
    ({ name, findings: own }: { name: string; findings: readonly ReportedFinding[] }) =>
      own.map((finding) => ({ ...finding, section: name })),
  );
  const problems = findings.filter(({ state }) => state === 'warning' || state === 'failure');
  return { status, stderr, document, findings, problems };
}

/** Makes the data folder private, as Switchboard itself creates it, and signs in to Codex. */
export function prepareHome(testbed: Testbed): void {
  mkdirSync(testbed.path('own'), { recursive: true });
  chmodSync(testbed.path('own'), 0o700);
  testbed.write('.codex/auth.json', {});
}

export interface TypeOptions {
  readonly testbed: Testbed;
  readonly processes: ProcessTracker;
  readonly env?: Readonly<Record<string, string>>;
  /** Typed where a command asks for a secret. */
  readonly secret?: string;
}

/** Types a command on a terminal, literally, where `switchboard` is on PATH. Answers yes to every question. */
export async function typeCommand(
  line: string,
  { testbed, processes, env = {}, secret = '' }: TypeOptions,
): Promise<{ readonly status: number; readonly shown: string }> {
  const bin = testbed.path('bin');
  const { command, args } = switchboard();
  const script = testbed.write('bin/switchboard', `#!/bin/sh\nexec '${command}' '${args.join("' '")}' "$@"\n`);
  chmodSync(script, 0o755);
  const started = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: testbed.path('project'),
    env: processes.env({
      ...{ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own'), SHELL: '/bin/sh' },
      ...{ PATH: [bin, process.env['PATH']].join(':'), ...env },
    }),
    stdio: 'pipe',
    timeout: 55_000,
  });
  let shown = '';
  let answered = 0;
  started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
    const questions = [...shown.matchAll(/\[y\/N\] |\[Y\/n\/pick\] |\(not shown\): /g)];
    for (const [question] of questions.slice(answered))
      started.stdin.write(`${question.startsWith('(') ? secret : 'y'}\n`);
    answered = questions.length;
  });
  const [status] = await once(started, 'close');
  return { status: Number(status), shown };
}
