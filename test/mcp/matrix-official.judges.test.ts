import { test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { useMatrixRow } from './matrix-row.ts';
import { officialRows } from './matrix-servers.ts';

vi.setConfig({ testTimeout: 300_000 });

const every = useMatrixRow(trackProcesses());

test.each(officialRows)('every command follows the rules with $is', (row) => every.direct(row));

test.each(officialRows)('the same applies through a gateway with $is', (row) => every.viaGateway(row));
