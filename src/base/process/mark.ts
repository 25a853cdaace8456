/**
 * The environment variable that identifies a process as ours, even outside our process tree.
 * Its value is a chain of `<run>/<n>/`, outermost first. The last slash keeps `…/1/` from matching in `…/12/`.
 */
export const MARK_VARIABLE = 'SWITCHBOARD_MARK';
