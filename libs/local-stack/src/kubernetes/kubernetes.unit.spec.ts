import { describe, it, expect } from '@jest/globals';
import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { PodSpec } from 'kubernetes-types/core/v1.js';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { DEPLOYMENT_PASSWORDS } from '../deployment.js';
import { repositoryRoot } from '../repository-root.js';
import { MIGRATE_ENTRY, SERVICES, entryOf, flagsOf } from '../service-table.js';
import { kubernetesFiles } from './index.js';

const folder = join(repositoryRoot(), 'deploy', 'kubernetes');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const expected = kubernetesFiles(
  readFileSync(join(repositoryRoot(), 'deploy', 'node.json'), 'utf8'),
);

interface Workload {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: PodSpec;
    };
    readonly volumeClaimTemplates?: NonNullable<StatefulSet['spec']>['volumeClaimTemplates'];
  };
}

const objects = Object.keys(expected).flatMap((name) =>
  parseAllDocuments(read(name)).map((document) => document.toJS() as Workload),
);
const workloads = objects.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind));
const named = (name: string): Workload => {
  const found = workloads.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`nothing runs ${name}`);
  return found;
};

describe('deploy/kubernetes/', () => {
  it.each(Object.entries(expected))(
    '%s says what the tables of the code say (else: npm run build && node deploy/write-kubernetes.mjs)',
    (name, documents) =>
      expect(parseAllDocuments(read(name)).map((document) => document.toJS() as unknown)).toEqual(
        documents,
      ),
  );

  it('holds no other file than kustomization.yaml, which names all of them', () => {
    const { resources } = parse(read('kustomization.yaml')) as { readonly resources: string[] };
    expect([...resources].sort()).toEqual(Object.keys(expected).sort());
    expect(readdirSync(folder).sort()).toEqual([...resources, 'kustomization.yaml'].sort());
  });

  it('runs every service of the code, and what they need', () => {
    const programs = workloads.flatMap(({ spec }) =>
      spec.template.spec.containers
        .filter(({ image }) => image === 'holdfast')
        .flatMap(({ args = [] }) => args),
    );
    expect(programs.sort()).toEqual(
      [
        MIGRATE_ENTRY,
        ...SERVICES.flatMap((entry) => [...flagsOf(entry), entryOf(entry.name)]),
      ].sort(),
    );
    expect(named('nats').spec.replicas).toBe(3);
    expect(named('postgres').spec.replicas).toBe(1);
  });

  it('gives a pod only passwords that deploy/make-secrets.mjs makes, and a service its own alone', () => {
    const passwordsOf = ({ spec }: Workload): string[] =>
      spec.template.spec.containers.flatMap(({ env = [] }) =>
        env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? []),
      );
    for (const workload of workloads)
      expect(DEPLOYMENT_PASSWORDS).toEqual(expect.arrayContaining(passwordsOf(workload)));
    expect(passwordsOf(named('gateway'))).toEqual(['HOLDFAST_NATS_PASSWORD_GATEWAY']);
    expect(passwordsOf(named('queries'))).toEqual([
      'HOLDFAST_NATS_PASSWORD_QUERIES',
      'HOLDFAST_POSTGRES_PASSWORD',
    ]);
  });

  it('fills in a password after it was named, as Kubernetes needs it', () => {
    for (const { metadata, spec } of workloads)
      for (const { env = [] } of spec.template.spec.containers)
        for (const [at, { value = '' }] of env.entries())
          for (const [, name] of value.matchAll(/\$\(([A-Z0-9_]+)\)/g))
            expect([metadata.name, env.slice(0, at).map((one) => one.name)]).toEqual([
              metadata.name,
              expect.arrayContaining([name]),
            ]);
  });

  it('gives the journal of a node to one pod, and never to two at a time', () => {
    const { kind, spec } = named('node-agent');
    expect([kind, spec.replicas]).toEqual(['StatefulSet', 1]);
    expect(spec.volumeClaimTemplates?.[0]?.spec?.accessModes).toEqual(['ReadWriteOncePod']);
  });

  it('mounts only volumes that there are, and looks only at ports that there are', () => {
    for (const { metadata, spec } of workloads) {
      const pod = spec.template.spec;
      const volumes = [
        ...(pod.volumes ?? []).map(({ name }) => name),
        ...(spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata?.name ?? ''),
      ];
      for (const container of pod.containers) {
        const mounts = (container.volumeMounts ?? []).map(({ name }) => name);
        expect([metadata.name, volumes.sort()]).toEqual([metadata.name, [...mounts].sort()]);
        const ports = (container.ports ?? []).map(({ name }) => name);
        const looks = [container.startupProbe, container.livenessProbe, container.readinessProbe];
        for (const look of looks)
          if (look?.httpGet !== undefined) expect(ports).toContain(look.httpGet.port);
      }
    }
  });

  it('asks for nothing that the restricted standard for pods refuses', () => {
    for (const { spec } of workloads) {
      const pod = spec.template.spec;
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
      for (const { securityContext, resources } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(resources?.limits?.['memory']).toBeDefined();
      }
    }
  });

  it('lets only those reach the database who have its password', () => {
    const policies = parseAllDocuments(read('network-policies.yaml')).map(
      (document) => document.toJS() as Workload & { readonly spec: { readonly ingress?: unknown } },
    );
    const holders = workloads
      .filter(({ metadata, spec }) =>
        spec.template.spec.containers.some(
          ({ env = [] }) =>
            metadata.name !== 'postgres' && env.some(({ name }) => name === 'DATABASE_URL'),
        ),
      )
      .map(({ metadata }) => metadata.name);
    const { spec } = policies.find(({ metadata }) => metadata.name === 'postgres') ?? {};
    expect(spec?.ingress).toEqual([
      {
        from: [
          {
            podSelector: {
              matchExpressions: [
                {
                  key: 'app.kubernetes.io/name',
                  operator: 'In',
                  values: expect.arrayContaining(holders),
                },
              ],
            },
          },
        ],
        ports: [{ port: 5432, protocol: 'TCP' }],
      },
    ]);
    expect(holders.sort()).toEqual(['migrate', 'projector', 'queries', 'reconciler']);
  });
});
