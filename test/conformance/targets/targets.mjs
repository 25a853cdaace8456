// @ts-check
import { codexTarget } from './codex.mjs';
import { gatewayTargets } from './gateway.mjs';
import { hostTarget } from './host.mjs';
import { kitTarget } from './kit.mjs';

/**
 * A program of ours that the suite judges.
 * @typedef {object} Target
 * @property {string} name For the command line and the tables.
 * @property {'client' | 'server'} side Which scenarios apply to it.
 * @property {readonly string[]} [scenarios] The only scenarios to report, for a program that cannot offer what the others need.
 * @property {(run: Run, revision: string) => Promise<readonly Result[]>} judge
 * Starts what the suite needs, runs the suite, and stops it again.
 */
/**
 * Runs the suite with these arguments.
 * @typedef {object} Run
 * @property {(args: readonly string[]) => Promise<readonly Result[]>} all Every scenario of the target.
 * @property {(scenario: string, args: readonly string[]) => Promise<Result>} alone One scenario.
 */
/** @typedef {import('../suite.mjs').Result} Result */

/** @type {readonly Target[]} */
export const targets = [hostTarget, kitTarget, codexTarget, ...gatewayTargets];
