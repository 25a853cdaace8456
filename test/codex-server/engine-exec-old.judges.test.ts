import { testEngine } from '../contracts/engine.ts';
import { openEngineOfKind } from '../contracts/engine-kinds.ts';

testEngine(
  'exec',
  { release: 'old', lacks: ['approvals', 'open', 'steer', 'name', 'fork', 'reasoning tokens'] },
  openEngineOfKind('exec'),
);
