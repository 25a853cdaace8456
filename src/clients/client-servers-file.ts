import { dataFolder, type Environment, platformPath } from '../config/files/folders.ts';

/** Returns the path of the file that records which servers each client sees. */
export function clientServersFile(environment: Environment): string {
  return platformPath(environment.platform).join(dataFolder(environment), 'clients.json');
}
