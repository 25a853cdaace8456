import { test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { hostileRows } from './matrix-hostile.ts';
import { useMatrixRow } from './matrix-row.ts';

vi.setConfig({ testTimeout: 300_000 });

const every = useMatrixRow(trackProcesses());

test.each(hostileRows)('nothing of a server that is hostile reaches a terminal, $is', (row) => every.direct(row));

test.each(hostileRows)('nor does it through a gateway, $is', (row) => every.viaGateway(row));
