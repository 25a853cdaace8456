import { test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { useMatrixRow } from './matrix-row.ts';
import { webRows } from './matrix-servers.ts';

vi.setConfig({ testTimeout: 300_000 });

const every = useMatrixRow(trackProcesses());

test.each(webRows)('every command ends as expected (server: $is)', (row) => every.direct(row));

test.each(webRows)('the same applies through a gateway (server: $is)', (row) => every.viaGateway(row));
