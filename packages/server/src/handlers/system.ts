import { routes } from '@bough/api';
import { HttpProblem } from '../problem.ts';
import type { Access } from '../security/index.ts';
import { addressOf, takeToken } from '../security/index.ts';
import { providerView, toolView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';

export function systemHandlers(
  app: App,
  { config, engine, store, providers, deployments, settings, tools, metrics, gateway, health, storeTrouble }: Parts,
  { sessions, wrongTokens }: Access,
): void {
  const isSecure = (forwarded: string | undefined): boolean => forwarded === 'https';
  app.openapi(routes.openSession, (context) => {
    const { token } = context.req.valid('json');
    if (config.token !== null && sessions !== null) {
      takeToken(token, config.token, wrongTokens, addressOf(context));
      context.header('set-cookie', sessions.open(isSecure(context.req.header('x-forwarded-proto'))));
    }
    return context.body(null, 204);
  });
  app.openapi(routes.getSession, (context) => context.json({ tokenRequired: config.token !== null }, 200));
  app.openapi(routes.closeSession, (context) => {
    const { req } = context;
    const taken = sessions?.close(req.header('cookie'), isSecure(req.header('x-forwarded-proto')));
    if (taken !== undefined) context.header('set-cookie', taken);
    return context.body(null, 204);
  });
  app.openapi(routes.listProviders, async (context) =>
    context.json(
      {
        providers: providers.list().map((provider) => providerView(provider, providers, deployments.fromOf)),
        defaults: await engine.defaultLock(),
      },
      200,
    ),
  );
  app.openapi(routes.setProviderKey, (context) => {
    const { providerId } = context.req.valid('param');
    refuseSimulated(providerId);
    providers.setKey(providerId, context.req.valid('json').key.trim());
    return context.body(null, 204);
  });
  app.openapi(routes.deleteProviderKey, (context) => {
    settings.deleteKey(providers.get(context.req.valid('param').providerId).deployment.id);
    return context.body(null, 204);
  });
  app.openapi(routes.setProviderBaseUrl, (context) => {
    const { providerId } = context.req.valid('param');
    refuseSimulated(providerId);
    providers.setBaseUrl(providerId, context.req.valid('json').baseUrl);
    return context.body(null, 204);
  });
  app.openapi(routes.setDefaults, async (context) => {
    await engine.setDefaultLock(context.req.valid('json'));
    return context.body(null, 204);
  });
  app.openapi(routes.listTools, (context) => context.json({ tools: tools.list().map(toolView) }, 200));
  app.openapi(routes.diagnostics, async (context) => {
    const { availability, calls, recorded, repairs, cache } = await store.statistics();
    return context.json(
      {
        availability: [...availability],
        calls: [...calls],
        drops: [...metrics.drops()],
        rejections: metrics.rejections(),
        recorded: [...recorded],
        repairs: [...repairs],
        cache: [...cache],
        unrecorded: gateway.state().unrecorded,
      },
      200,
    );
  });
  app.openapi(routes.healthz, (context) => context.json({ status: 'ok' as const, checks: {} }, 200));
  app.openapi(routes.ready, async (context) => {
    const trouble = await storeTrouble();
    if (trouble === null)
      return context.json({ status: health(), checks: { store: 'ok' } }, health() === 'ok' ? 200 : 503);
    const checks = { store: trouble.code, reason: trouble.sentence };
    return context.json({ status: 'failing' as const, checks }, 503);
  });
  app.openapi(routes.metrics, (context) => context.text(metrics.text(), 200));

  function refuseSimulated(id: string): void {
    if (providers.isSimulated(id))
      throw new HttpProblem(422, 'not_configurable', 'The simulated provider needs neither a key nor an address.');
  }
}
