// Other clients that talk through the gateway.
import { button, showPanel } from '../hands.mjs';
import { COLOURS, EVERY, LAPTOP } from '../views.mjs';

async function openGateway(visit) {
  const { program } = await visit.worlds.visit('gateway');
  const page = await visit.open(`${program.url}/clients`);
  await page.locator('.session').first().waitFor();
  return page;
}

async function seeNobody(visit) {
  const { program } = await visit.worlds.visit('empty');
  const page = await visit.open(`${program.url}/clients`);
  await page.getByText(visit.t('gateway.sessions.none')).waitFor();
  await page.locator('.connect-list summary').first().click();
  await visit.shot();
}

async function seeSessions(visit) {
  const page = await openGateway(visit);
  await visit.shot();
  const row = page.locator('.session').filter({ hasText: 'Look into the shed' });
  await row.locator('summary').click();
  await row.locator('.cache-facts').waitFor();
  await row.scrollIntoViewIfNeeded();
  await visit.shot('open');
}

async function seeExchange(visit) {
  const page = await openGateway(visit);
  const row = page.locator('.session').filter({ hasText: 'Look into the shed' });
  await row.locator('summary').click();
  await button(row, visit.t('exchange.open')).first().click();
  await page.locator('.exchange .diff').waitFor();
  await visit.shot();
}

async function seeDiagnostics(visit) {
  const { program } = await visit.worlds.visit('gateway');
  const page = await visit.open(`${program.url}/diagnostics`);
  await page.getByRole('heading', { name: visit.t('diagnostics.repairs') }).waitFor();
  await page.getByRole('heading', { name: visit.t('diagnostics.gateway') }).scrollIntoViewIfNeeded();
  await visit.shot();
}

async function seeDetails(visit) {
  const { program, gateway } = await visit.worlds.visit('gateway');
  const { nodes } = await program.call('GET', `/projects/${gateway.shed}/graph`);
  const page = await visit.open(`${program.url}/p/${gateway.shed}/b/main?node=${nodes.at(-1).id}`);
  await page.locator('.turn .reply').first().waitFor();
  await showPanel(visit, 'details');
  await page.locator('.recorded-calls li').first().waitFor();
  await visit.shot();
  await page.locator('.recorded-calls li').first().scrollIntoViewIfNeeded();
  await visit.shot('calls');
}

export const gateway = [
  { name: 'gateway-nobody', views: COLOURS, run: seeNobody },
  { name: 'gateway', views: EVERY, run: seeSessions },
  { name: 'gateway-exchange', views: EVERY, run: seeExchange },
  { name: 'gateway-diagnostics', views: COLOURS, run: seeDiagnostics },
  { name: 'gateway-details', views: LAPTOP, run: seeDetails },
];
