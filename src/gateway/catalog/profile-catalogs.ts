import type { ProfileName } from '../../schema/profiles/profile.ts';
import { PROFILES } from '../../schema/profiles/registry.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { AggregateCatalog, type AggregateCatalogOptions } from './aggregate-catalog.ts';

/** The merged catalogs of all servers, one per client profile, cached in serialized form. */
export interface ProfileCatalogs {
  forProfile(profile: ProfileName): AggregateCatalog;
  /** Invalidates the list of one server. */
  listChanged(server: GatewayServer, kind: ListKind): void;
  /** Invalidates all lists after servers were added or removed, or their config entries changed. */
  serversChanged(): void;
}

export function createProfileCatalogs(options: Omit<AggregateCatalogOptions, 'profile'>): ProfileCatalogs {
  const catalogs = new Map<ProfileName, AggregateCatalog>();
  return {
    forProfile(name) {
      const known = catalogs.get(name);
      if (known !== undefined) return known;
      const catalog = new AggregateCatalog({ ...options, profile: PROFILES[name] });
      catalogs.set(name, catalog);
      return catalog;
    },
    listChanged(server, kind) {
      for (const catalog of catalogs.values()) catalog.listChanged(server, kind);
    },
    serversChanged() {
      for (const catalog of catalogs.values()) catalog.serversChanged();
    },
  };
}
