import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { reply } from './reply.ts';

/** Answers a shell and ends. Written straight to stdout: a stream costs more than all the rest. */
const { argv, env, platform } = process;
const answers = reply(argv.slice(3), { cwd: process.cwd(), home: homedir(), env, platform });
if (answers.length > 0) writeSync(1, `${answers.join('\n')}\n`);
