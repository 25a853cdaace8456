import { test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { useMatrixRow } from './matrix-row.ts';
import { deadRows } from './matrix-servers.ts';

vi.setConfig({ testTimeout: 300_000 });

const every = useMatrixRow(trackProcesses());

test.each(deadRows)('every command ends in time and says why, asking $is', (row) => every.direct(row));

test.each(deadRows)('and so it does through a gateway, asking $is', (row) => every.viaGateway(row));
