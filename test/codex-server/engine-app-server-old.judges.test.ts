import { testEngine } from '../contracts/engine.ts';
import { openEngineOfKind } from '../contracts/engine-kinds.ts';

testEngine('app-server', { release: 'old', lacks: ['steer', 'name'] }, openEngineOfKind('app-server'));
