import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { respond } from './respond.ts';

/** Answers a shell and exits. Writes to stdout synchronously: creating a stream costs more than all the rest. */
const { argv, env, platform } = process;
const answers = respond(argv.slice(3), { cwd: folder(), home: homedir(), env, platform });
if (answers.length > 0) writeSync(1, `${answers.join('\n')}\n`);

/** A deleted working directory has no project. */
function folder(): string {
  try {
    return process.cwd();
  } catch {
    return homedir();
  }
}
