import type { HealthCounts } from '../health/server-health.ts';
import type { Finding, FindingState, Section } from './finding.ts';

/** Builds the document of `doctor --json`. */
export function doctorDocument(
  sections: readonly Section[],
  servers: HealthCounts | undefined,
): Readonly<Record<string, unknown>> {
  const findings = sections.flatMap((section) => section.findings);
  const count = (state: FindingState) => findings.filter((finding) => finding.state === state).length;
  return {
    ok: count('failure') === 0,
    totals: { ok: count('ok'), notes: count('note'), warnings: count('warning'), failures: count('failure') },
    ...(servers === undefined ? {} : { servers }),
    sections: sections.map(({ name, summary, findings: own }) => ({
      name: name.toLowerCase(),
      summary,
      findings: own.map(toDocument),
    })),
  };
}

function toDocument({ check, title, state, detail, fix, advice, code, repair, isFixed }: Finding): object {
  return {
    check,
    title,
    state,
    ...(detail === undefined || detail.length === 0 ? {} : { detail }),
    ...(fix === undefined ? {} : { fix }),
    ...(advice === undefined ? {} : { advice }),
    ...(code === undefined ? {} : { code }),
    fixable: repair !== undefined,
    ...(isFixed === undefined ? {} : { fixed: isFixed }),
  };
}
