import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { switchboard } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import type { Testbed } from './testbed.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

export function isInstalled(shell: Shell): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}

/** A testbed in which `switchboard` is a command, as after an installation. */
export class ShellTestbed {
  readonly #testbed: Testbed;
  readonly #processes: ProcessTracker;

  constructor(testbed: Testbed, processes: ProcessTracker) {
    this.#testbed = testbed;
    this.#processes = processes;
    const { command, args } = switchboard();
    const file = testbed.write(
      'bin/switchboard',
      `#!/bin/sh\nexec '${command}' ${args.map((arg) => `'${arg}'`).join(' ')} "$@"\n`,
    );
    chmodSync(file, 0o755);
  }

  /** Runs a script in this shell until it exits. */
  async run(shell: Shell, script: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const args = shell === 'zsh' ? ['-f', '-c', script] : ['-c', script];
    const started = spawn(shell, args, { ...this.#options(), stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr] = await Promise.all([text(started.stdout), text(started.stderr), once(started, 'close')]);
    return { stdout, stderr };
  }

  /** Returns bash's completions for this line, with the cursor at its end. */
  async bashAnswers(line: string): Promise<readonly string[]> {
    const typed = line.split(' ');
    const { stdout, stderr } = await this.run(
      'bash',
      `source <(switchboard completion bash)
      compopt() { :; }
      COMP_LINE=${quoted(line)} COMP_POINT=${line.length} COMP_CWORD=${typed.length - 1}
      COMP_WORDS=(${typed.map(quoted).join(' ')})
      _switchboard switchboard ${quoted(typed.at(-1) ?? '')} ${quoted(typed.at(-2) ?? '')}
      for answer in "\${COMPREPLY[@]}"; do printf '%s\\0' "$answer"; done`,
    );
    if (stderr !== '') throw new Error(`bash complained: ${stderr}`);
    return stdout.split('\0').slice(0, -1);
  }

  /**
   * Types each line, Tab and Enter into bash on a terminal. Returns the words of the completed line. `show` takes
   * the place of `switchboard`.
   */
  async typeInBash(lines: readonly string[]): Promise<readonly string[]> {
    const shell = 'bash --norc --noprofile -i';
    const started = spawn('script', ['-qec', shell, '/dev/null'], {
      ...this.#options(),
      stdio: 'pipe',
      timeout: 150_000,
    });
    const setUp = [
      'bind "set bell-style none"; bind "set enable-bracketed-paste off"; source <(switchboard completion bash)',
      'show() { printf "<%s>" "$@"; printf "\\n"; }; complete -o default -F _switchboard show; PS1="READ"; PS1+="Y> "',
    ];
    started.stdin.write(`${setUp.join('; ')}\n`);
    const rest = [...lines.map((line) => `show ${line}\t\n`), 'exit\n'];
    let shown = '';
    let prompts = 0;
    started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      shown += chunk;
      // One line after each prompt, because the line editor does not see earlier input.
      for (; prompts < shown.split(PROMPT).length - 1; prompts++) started.stdin.write(rest.shift() ?? '');
    });
    await once(started, 'close');
    return [...shown.matchAll(/^(<.*>)\r?$/gm)].map(([, words = '']) => words);
  }

  #options() {
    const path = `${this.#testbed.path('bin')}:${process.env['PATH'] ?? ''}`;
    const own = { HOME: this.#testbed.folder, SWITCHBOARD_HOME: this.#testbed.path('own'), PATH: path, TERM: 'dumb' };
    return { cwd: join(this.#testbed.folder, 'project'), env: this.#processes.env(own) };
  }
}

const PROMPT = 'READY> ';

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
