import type { Clause } from '../requirements.ts';

/** From installing to the first call, and back: setup, import, connect, doctor and the package. */
// biome-ignore format: a table, one clause per line
export const firstUse: readonly Clause[] = [
  { id: 'setup:consent:nothing-before', state: 'done', clause: 'Setup changes nothing before the user agrees.' },
  { id: 'setup:dry-run:nothing', state: 'done', clause: '`setup --dry-run` shows every change, writes nothing and starts nothing.' },
  { id: 'setup:undo:bytes', state: 'done', clause: '`setup --undo` restores every file, byte for byte.' },
  { id: 'setup:undo:later-edits', state: 'done', clause: 'Changes made after setup survive `setup --undo`.' },
  { id: 'setup:faults:others-continue', state: 'done', clause: 'A client file that is broken or read-only does not stop the setup of the others, and the message names its next step.' },
  {
    id: 'connect:tools:same',
    state: 'done',
    clause: 'In its first conversation after connect, Codex sees the tools that its servers list to it directly.',
  },
  { id: 'connect:servers:once', state: 'done', clause: 'After import and connect, the client lists no server twice.' },
  { id: 'connect:disk:full', state: 'done', clause: 'On a full disk, connect leaves the file of the client unchanged.' },
  { id: 'connect:tools:counts', state: 'done', clause: 'Connect prints how many tools the client sees and about how many tokens they take.' },
  { id: 'doctor:fixes:work', state: 'done', clause: 'Doctor names each fault, and the command that it prints fixes it.' },
  { id: 'doctor:counts:agree', state: 'done', clause: '`mcp test --all`, `gateway --check` and `doctor` count the same servers and tools.' },
  { id: 'doctor:timeout:bounded', state: 'done', clause: 'A server that hangs delays no other check of doctor, and is not left running.' },
  { id: 'config:variables:one-text', state: 'done', clause: 'A variable that is not set has the same message in every command and in the gateway, with the command that stores it.' },
  { id: 'codex:prompts:listed', state: 'done', clause: 'The Codex server offers the prompts `delegate`, `second-opinion` and `review` with documented arguments.' },
];
