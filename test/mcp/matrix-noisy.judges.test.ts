import { test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { useMatrixRow } from './matrix-row.ts';
import { noisyRows } from './matrix-servers.ts';

vi.setConfig({ testTimeout: 300_000 });

const every = useMatrixRow(trackProcesses());

test.each(noisyRows)('every command answers with its own words alone, asking $is', (row) => every.direct(row));

test.each(noisyRows)('and so it does through a gateway, asking $is', (row) => every.viaGateway(row));
