import type { Shape } from './shape.ts';

// As much of the schemas of Kubernetes as deploy/kubernetes.yaml uses.
const TEXTS: Shape = { values: 'text' };
const METADATA: Shape = { fields: { name: 'text', 'namespace?': 'text', 'labels?': TEXTS } };
const SELECTOR: Shape = { fields: { matchLabels: TEXTS } };
const PORT: Shape = { either: ['text', 'number'] };
const TIMES = { 'periodSeconds?': 'number', 'timeoutSeconds?': 'number', 'failureThreshold?': 'number' } as const;
const EXEC: Shape = { fields: { exec: { fields: { command: { list: 'text' } } }, ...TIMES } };
const CONNECT: Shape = { fields: { tcpSocket: { fields: { port: PORT } }, ...TIMES } };
const PROBE: Shape = { either: [EXEC, CONNECT] };

const CONTAINER: Shape = {
  fields: {
    name: 'text',
    image: 'text',
    ports: { list: { fields: { name: 'text', containerPort: 'number' } } },
    env: { list: { fields: { name: 'text', value: 'text' } } },
    envFrom: { list: { fields: { secretRef: { fields: { name: 'text' } } } } },
    startupProbe: PROBE,
    readinessProbe: PROBE,
    livenessProbe: PROBE,
    resources: { fields: { requests: TEXTS, limits: TEXTS } },
    securityContext: {
      fields: {
        allowPrivilegeEscalation: 'boolean',
        readOnlyRootFilesystem: 'boolean',
        capabilities: { fields: { drop: { list: 'text' } } },
      },
    },
    volumeMounts: { list: { fields: { name: 'text', mountPath: 'text' } } },
  },
};

const POD: Shape = {
  fields: {
    serviceAccountName: 'text',
    automountServiceAccountToken: 'boolean',
    terminationGracePeriodSeconds: 'number',
    securityContext: {
      fields: {
        runAsNonRoot: 'boolean',
        runAsUser: 'number',
        runAsGroup: 'number',
        fsGroup: 'number',
        fsGroupChangePolicy: { oneOf: ['OnRootMismatch', 'Always'] },
        seccompProfile: { fields: { type: { oneOf: ['RuntimeDefault', 'Localhost', 'Unconfined'] } } },
      },
    },
    containers: { list: CONTAINER },
    volumes: { list: { fields: { name: 'text', emptyDir: { fields: {} } } } },
  },
};

const CLAIM: Shape = {
  fields: {
    metadata: METADATA,
    spec: {
      fields: {
        accessModes: { list: { oneOf: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'] } },
        resources: { fields: { requests: TEXTS } },
      },
    },
  },
};

const object = (apiVersion: string, kind: string, rest: Readonly<Record<string, Shape>>): Shape => ({
  fields: { apiVersion: { oneOf: [apiVersion] }, kind: { oneOf: [kind] }, metadata: METADATA, ...rest },
});

export const KUBERNETES: Readonly<Record<string, Shape>> = {
  ServiceAccount: object('v1', 'ServiceAccount', { automountServiceAccountToken: 'boolean' }),
  Service: object('v1', 'Service', {
    spec: {
      fields: {
        selector: TEXTS,
        ports: { list: { fields: { name: 'text', port: 'number', targetPort: PORT } } },
      },
    },
  }),
  StatefulSet: object('apps/v1', 'StatefulSet', {
    spec: {
      fields: {
        serviceName: 'text',
        replicas: 'number',
        podManagementPolicy: { oneOf: ['OrderedReady', 'Parallel'] },
        selector: SELECTOR,
        template: { fields: { metadata: { fields: { labels: TEXTS } }, spec: POD } },
        volumeClaimTemplates: { list: CLAIM },
      },
    },
  }),
  PodDisruptionBudget: object('policy/v1', 'PodDisruptionBudget', {
    spec: { fields: { minAvailable: PORT, selector: SELECTOR } },
  }),
};
