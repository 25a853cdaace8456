import { type Changes, createChanges, type Edit } from '../../changes.ts';
import type { Outline } from '../../outline.ts';
import type { Rewrite } from '../profile.ts';

/** What shall be different in a schema, and where in it the reading is. */
export interface LegacyChanges extends Changes {
  readonly outline: Outline;
  readonly path: string[];
  /** What is put around a list of schemas that itself may change. */
  readonly wraps: Edit[];
  /** Under `not`, what accepts more makes the whole accept less. */
  isNegated: boolean;
  readonly rewrites: Rewrite[];
}

export function startLegacy(outline: Outline): LegacyChanges {
  return { ...createChanges(), outline, path: [], wraps: [], isNegated: false, rewrites: [] };
}

export interface Reason {
  readonly what: string;
  readonly why: string;
  readonly acceptsLess: boolean;
}

export function note({ rewrites, path, isNegated }: LegacyChanges, { what, why, acceptsLess }: Reason): void {
  rewrites.push({ path: path.join('.'), what, why, isNarrowing: acceptsLess !== isNegated });
}
