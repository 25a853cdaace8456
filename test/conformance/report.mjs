// @ts-check
/** @typedef {import('./suite.mjs').Result} Result */
/** @typedef {import('./suite.mjs').Check} Check */

/** Returns a line for each scenario, with every failed check of the required ones. @param {string} title @param {readonly Result[]} results */
export function toTable(title, results) {
  const width = Math.max(...results.map(({ scenario }) => scenario.length));
  const lines = results.flatMap((result) => {
    const { scenario, isRequired, checks } = result;
    const verdict = isOk(result) ? 'ok    ' : isRequired ? 'FAILED' : 'no    ';
    const note = isRequired ? '' : ' (not required)';
    const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
    const line = `${verdict} ${scenario.padEnd(width)} ${passed} ok, ${bad(checks).length} failed${note}`;
    const reasons = isRequired
      ? bad(checks).map((check) => `         ${check.id}: ${check.errorMessage ?? check.description}`)
      : [];
    return [line, ...reasons];
  });
  const required = results.filter(({ isRequired }) => isRequired);
  const total = `${title}: ${required.filter(isOk).length} of ${required.length} required scenarios`;
  return `${lines.join('\n')}\n${total}\n\n`;
}

/** A warning counts as a failure. @param {Result} result */
export function isOk({ checks }) {
  return checks.length > 0 && bad(checks).length === 0;
}

/** @param {readonly Check[]} checks */
function bad(checks) {
  return checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
}
