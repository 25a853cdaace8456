import { test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { hostileRows } from './matrix-hostile.ts';
import { useMatrixRow } from './matrix-row.ts';

vi.setConfig({ testTimeout: 300_000 });

const every = useMatrixRow(trackProcesses());

test.each(hostileRows)('no control sequence of a hostile server reaches a terminal, $is', (row) => every.direct(row));

test.each(hostileRows)('no control sequence of a hostile server reaches a terminal through a gateway, $is', (row) =>
  every.viaGateway(row),
);
