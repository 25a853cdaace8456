import { test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { useMatrixRow } from './matrix-row.ts';
import { noisyRows } from './matrix-servers.ts';

vi.setConfig({ testTimeout: 300_000 });

const every = useMatrixRow(trackProcesses());

test.each(noisyRows)('every command prints only its own output (server: $is)', (row) => every.direct(row));

test.each(noisyRows)('the same applies through a gateway (server: $is)', (row) => every.viaGateway(row));
