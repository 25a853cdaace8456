import { testEngine } from '../contracts/engine.ts';
import { openEngineOfKind } from '../contracts/engine-kinds.ts';

testEngine('app-server', { age: 'today', lacks: ['plan'] }, openEngineOfKind('app-server'));
