// @ts-check
import { hostHttpUs, hostStdioUs } from './host-calls.mjs';
import { callMs, completionCpuMs, doctorMs, npmStartMs, versionCpuMs } from './host-commands.mjs';
import { missing as noHttpServer } from './http-server.mjs';
import { statusEffectUs, statusMs, missing as tooLarge } from './status-queries.mjs';

/** @typedef {import('./run.mjs').Claim} Claim */

/** @type {readonly Claim[]} */
export const hostClaims = [
  {
    what: 'host, CPU per call to a program, 100 B, 16 in flight, against a raw client',
    most: 2,
    unit: 'us',
    measure: hostStdioUs,
  },
  {
    what: 'host, CPU per call over HTTP, 100 B, 16 in flight, against the official SDK v2 client',
    most: 0.5,
    unit: 'us',
    missing: noHttpServer,
    measure: hostHttpUs,
  },
  {
    what: 'mcp call through a running gateway, against a whole node -e 0',
    most: 2.5,
    unit: 'ms',
    measure: callMs,
  },
  { what: 'switchboard --version, CPU, against a whole node -e 0', most: 1.2, unit: 'ms', measure: versionCpuMs },
  { what: 'npm start in a built checkout', most: 5000, unit: 'ms', compare: 'alone', measure: npmStartMs },
  { what: 'completion, CPU, against a whole node -e 0', most: 1.3, unit: 'ms', measure: completionCpuMs },
  {
    what: 'doctor with 20 servers, 2 of them hanging',
    most: 12_000,
    unit: 'ms',
    compare: 'alone',
    measure: doctorMs,
  },
  {
    what: 'status of a gateway with 200 upstreams and 16 calls in flight, the slowest of 20 queries',
    most: 50,
    unit: 'ms',
    compare: 'alone',
    missing: tooLarge,
    measure: statusMs,
  },
  {
    what: 'status of that gateway, one query per 1000 calls (about 100 ms), CPU per call, against no query',
    most: 1.1,
    unit: 'us',
    missing: tooLarge,
    measure: statusEffectUs,
  },
];
