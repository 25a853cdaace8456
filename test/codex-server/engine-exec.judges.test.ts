import { testEngine } from '../contracts/engine.ts';
import { openEngineOfKind } from '../contracts/engine-kinds.ts';

testEngine(
  'exec',
  { release: 'current', lacks: ['approvals', 'open', 'steer', 'name', 'plan'] },
  openEngineOfKind('exec'),
);
