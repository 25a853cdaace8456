import { testEngine } from '../contracts/engine.ts';
import { openEngineOfKind } from '../contracts/engine-kinds.ts';

testEngine('app-server', { release: 'current', lacks: ['plan'] }, openEngineOfKind('app-server'));
