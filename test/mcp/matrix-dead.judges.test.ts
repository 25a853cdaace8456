import { test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { useMatrixRow } from './matrix-row.ts';
import { failingRows } from './matrix-servers.ts';

vi.setConfig({ testTimeout: 300_000 });

const every = useMatrixRow(trackProcesses());

test.each(failingRows)('every command ends in time and says why (server: $is)', (row) => every.direct(row));

test.each(failingRows)('the same applies through a gateway (server: $is)', (row) => every.viaGateway(row));
