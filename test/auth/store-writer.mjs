// @ts-check
// Signs in to many servers, one after the other. Arguments: the built modules, the home, a letter and how many.
const [modules = '', home = '', letter = '', count = '1'] = process.argv.slice(2);
const { openAuthStore, emptyRecord } = await import(modules);

const store = openAuthStore({ cwd: home, home, env: { SWITCHBOARD_HOME: home }, platform: process.platform });
for (let index = 0; index < Number(count); index++)
  store.update(`${letter}${index}`, () => ({ ...emptyRecord('https://a/'), accessToken: letter.repeat(2_000) }));
