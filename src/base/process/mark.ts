/**
 * The environment variable by which a process is recognised as ours, wherever it went.
 * Its value is a chain of `<run>/<n>/`, outermost first; the last slash keeps `…/1/` from being found in `…/12/`.
 */
export const MARK_VARIABLE = 'SWITCHBOARD_MARK';
