import { testEngine } from '../contracts/engine.ts';
import { openEngineOfKind } from '../contracts/engine-kinds.ts';

testEngine('exec', { age: 'today', lacks: ['ask', 'steer', 'name', 'plan'] }, openEngineOfKind('exec'));
testEngine(
  'exec',
  { age: 'old', lacks: ['ask', 'steer', 'name', 'fork', 'reasoning tokens'] },
  openEngineOfKind('exec'),
);
