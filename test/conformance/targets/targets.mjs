// @ts-check
import { gatewayTargets } from './gateway.mjs';
import { hostTarget } from './host.mjs';
import { kitTarget } from './kit.mjs';

/**
 * A program of ours that the suite judges.
 * @typedef {object} Target
 * @property {string} name For the command line and the tables.
 * @property {'client' | 'server'} side Which scenarios apply to it.
 * @property {readonly string[]} [scenarios] The only scenarios to report, for a program that cannot offer what the others need.
 * @property {(run: RunSuite, revision: string) => Promise<readonly Result[]>} judge
 * Starts what the suite needs, calls `run` once, and stops it again.
 */
/** Runs the suite with these arguments. @typedef {(args: readonly string[]) => Promise<readonly Result[]>} RunSuite */
/** @typedef {import('../suite.mjs').Result} Result */

/** @type {readonly Target[]} */
export const targets = [hostTarget, kitTarget, ...gatewayTargets];
