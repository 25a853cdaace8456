// @ts-check
/** @typedef {import('./suite.mjs').Result} Result */
/** @typedef {import('./suite.mjs').Check} Check */
/** What one run of the suite found. @typedef {{ revision: string, target: string, results: readonly Result[], seconds: number }} Report */

/** Returns a line for each scenario, with every failed check of the required ones. @param {Report} report */
export function toTable({ revision, target, results }) {
  const width = Math.max(...results.map(({ scenario }) => scenario.length));
  const lines = results.flatMap((result) => {
    const { scenario, isRequired, checks, isAlone } = result;
    const verdict = isOk(result) ? 'ok    ' : isRequired ? 'FAILED' : 'no    ';
    const note = isRequired ? (isAlone === true ? ' (in a second run, alone)' : '') : ' (not required)';
    const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
    const line = `${verdict} ${scenario.padEnd(width)} ${passed} ok, ${bad(checks).length} failed${note}`;
    const reasons = isRequired
      ? bad(checks).map((check) => `         ${check.id}: ${check.errorMessage ?? check.description}`)
      : [];
    return [line, ...reasons];
  });
  return `${revision} ${target}\n${lines.join('\n')}\n\n`;
}

/** Returns a line for each run. @param {readonly Report[]} reports */
export function toSummary(reports) {
  const width = Math.max(...reports.map(({ target }) => target.length));
  const lines = reports.map((report) => {
    const { revision, target, results, seconds } = report;
    const required = results.filter(({ isRequired }) => isRequired);
    const others = results.filter(({ isRequired }) => !isRequired);
    const counts = `${count(required)} required, ${count(others)} other scenarios`;
    const verdict = isComplete(report) ? 'ok    ' : 'FAILED';
    return `${verdict} ${revision} ${target.padEnd(width)} ${counts}, ${seconds.toFixed(1)} s`;
  });
  return `${lines.join('\n')}\n`;
}

/** Returns whether every required scenario passed. @param {Report} report */
export function isComplete({ results }) {
  const required = results.filter(({ isRequired }) => isRequired);
  return required.length > 0 && required.every(isOk);
}

/** @param {readonly Result[]} results */
function count(results) {
  return `${results.filter(isOk).length} of ${results.length}`;
}

/** A warning counts as a failure. @param {Result} result */
export function isOk({ checks }) {
  return checks.length > 0 && bad(checks).length === 0;
}

/** @param {readonly Check[]} checks */
function bad(checks) {
  return checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
}
