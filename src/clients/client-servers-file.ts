import { dataFile, type Environment } from '../config/files/folders.ts';

/** Returns the path of the file that records which servers each client sees. */
export function clientServersFile(environment: Environment): string {
  return dataFile(environment, 'clients.json');
}
