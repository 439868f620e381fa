// The package in Chromium, as a module of a page, and the page examples/scan.html with a photo of a label and with a camera.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";
import { inflateSync } from "node:zlib";
import { label } from "fingerpost";

// The folder that holds node_modules, as of an application.
const FOLDER = new URL("..", import.meta.url);
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};
const PAGE = `<!doctype html><link rel="icon" href="data:,"><script type="importmap">{"imports":{"fingerpost":"/node_modules/fingerpost/lib/index.js",
"fingerpost/identify":"/node_modules/fingerpost/lib/identify.js"}}</script>`;

/** Serves the folder; `requested` are the paths that were asked for. Scripts may compile WebAssembly, not text. */
async function serve(t) {
  const requested = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    requested.push(path);
    response.setHeader("Content-Security-Policy", "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'");
    try {
      const body = path === "/" ? PAGE : readFileSync(new URL(`.${path}`, FOLDER));
      response.setHeader("Content-Type", TYPES[extname(path) || ".html"] ?? "application/octet-stream");
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await once(server.listen(0, "localhost"), "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { address: `http://localhost:${server.address().port}`, requested };
}

/** Starts Chromium, and returns a function that sends commands of WebDriver. `camera` is a film that its camera shows. */
async function browser(t, camera) {
  const driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
  let port;
  for await (const line of createInterface(driver.stdout)) {
    port = line.match(/started successfully on port (\d+)/)?.[1];
    if (port) break;
  }
  driver.stdout.resume();
  const send = async (method, path, body) => {
    const sent = await fetch(`http://localhost:${port}/session${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await sent.json();
    assert(sent.ok, JSON.stringify(value));
    return value;
  };
  const args = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
  if (camera)
    args.push(
      "--use-fake-ui-for-media-stream",
      "--use-fake-device-for-media-stream",
      `--use-file-for-fake-video-capture=${camera}`,
    );
  const options = {
    "goog:chromeOptions": { args },
    "goog:loggingPrefs": { browser: "ALL" },
    timeouts: { script: 120_000 },
  };
  const { sessionId } = await send("POST", "", { capabilities: { alwaysMatch: options } });
  t.after(async () => {
    await send("DELETE", `/${sessionId}`);
    driver.kill();
  });
  return (method, path, body) => send(method, `/${sessionId}${path}`, body);
}

/** Fails if the console of the page has an error or a warning. */
async function expectNoComplaints(send) {
  const log = await send("POST", "/se/log", { type: "browser" });
  assert.deepEqual(
    log.filter(({ level }) => level !== "INFO" && level !== "DEBUG").map(({ message }) => message),
    [],
  );
}

test("a page loads the package as a module", { timeout: 300_000 }, async (t) => {
  const { address, requested } = await serve(t);
  const send = await browser(t);
  await send("POST", "/url", { url: `${address}/` });
  const script = `const done = arguments[0];
    Promise.all([import("fingerpost"), import("fingerpost/identify")]).then(([all, small]) => {
      const found = all.check("https://id.example.org/01/09520123456789/10/é");
      done([all.convert("3066c4409047e14000001a85", { to: "digital-link" }), small.check("9520123456788").valid,
        found.faults[0].code, found.input.slice(found.faults[0].span.start, found.faults[0].span.end),
        all.label("9520123456788", { symbol: "ean-13", format: "png" }).data.length > 100, "label" in small]);
    }).catch((error) => done(String(error)));`;
  const found = await send("POST", "/execute/async", { script, args: [] });
  assert.deepEqual(found, [
    "https://id.gs1.org/01/09506000134352/21/6789",
    true,
    "L_INCORRECT_CHECK_DIGIT",
    "9",
    true,
    false,
  ]);
  assert.deepEqual(
    requested
      .filter((path) => path.endsWith(".wasm"))
      .map((path) => path.split("/").at(-1))
      .sort(),
    ["fingerpost.wasm", "identify.wasm"],
  );
  await expectNoComplaints(send);
});

test("examples/scan.html reads a photo", { timeout: 300_000 }, async (t) => {
  const { address, requested } = await serve(t);
  const send = await browser(t);
  const folder = mkdtempSync(join(tmpdir(), "fingerpost-scan-"));
  t.after(() => rmSync(folder, { recursive: true }));
  await send("POST", "/url", { url: `${address}/scan.html` });
  const photo = Object.values(await send("POST", "/element", { using: "css selector", value: "#photo" }))[0];
  const cases = [
    [
      "https://id.example.org/01/09520123456788/10/ABC?17=261231",
      "qr",
      [
        "Valid",
        "(10) BATCH/LOT",
        "2026-12-31",
        "It leads to https://id.example.org/01/09520123456788/10/ABC?17=261231",
      ],
    ],
    [
      "(01)09520123456788(10)ABC(21)12345",
      "gs1-datamatrix",
      [
        "Valid",
        "]d2010952012345678810ABC{GS}2112345",
        "It leads to https://id.gs1.org/01/09520123456788/10/ABC/21/12345",
      ],
    ],
    ["9520123456788", "ean-13", ["Valid", "]E0", "It leads to https://id.gs1.org/01/09520123456788"]],
  ];
  for (const [text, symbol, expected] of cases) {
    const file = join(folder, `${symbol}.png`);
    writeFileSync(file, label(text, { symbol, format: "png" }).data);
    await send("POST", "/execute/sync", { script: "document.getElementById('result').replaceChildren()", args: [] });
    await send("POST", `/element/${photo}/value`, { text: file });
    const script = `const [done, result] = [arguments[0], document.getElementById("result")];
      const look = () => result.textContent ? done(result.innerText) : requestAnimationFrame(look); look();`;
    const shown = await send("POST", "/execute/async", { script, args: [] });
    for (const part of expected) assert(shown.includes(part), `${symbol}: expected ${part}, found ${shown}`);
    if (process.env.PICTURES)
      writeFileSync(
        join(process.env.PICTURES, `${symbol}.png`),
        Buffer.from(await send("GET", "/screenshot"), "base64"),
      );
  }
  // Everything came from this server; nothing was missing.
  assert(requested.some((path) => path.endsWith("zxing_reader.wasm")));
  await expectNoComplaints(send);
});

/** Returns a film of one picture (YUV4MPEG2, 640 by 480) that has a label in its middle. */
function film(png) {
  const [WIDTH, HEIGHT, BLACK, WHITE] = [640, 480, 16, 235];
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  assert(width <= WIDTH && height <= HEIGHT, `expected a label of at most 640 by 480, found ${width} by ${height}`);
  // Pictures of labels have one bit per pixel, no filter, and one chunk of pixels.
  const begin = png.indexOf("IDAT") + 4;
  const rows = inflateSync(png.subarray(begin, begin + png.readUInt32BE(begin - 8)));
  const stride = 1 + Math.ceil(width / 8);
  const light = Buffer.alloc(WIDTH * HEIGHT, WHITE);
  const [left, top] = [Math.floor((WIDTH - width) / 2), Math.floor((HEIGHT - height) / 2)];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (!((rows[y * stride + 1 + (x >> 3)] >> (7 - (x & 7))) & 1)) light[(top + y) * WIDTH + left + x] = BLACK;
  const grey = Buffer.alloc((WIDTH * HEIGHT) / 2, 128);
  return Buffer.concat([Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420\nFRAME\n`), light, grey]);
}

test("examples/scan.html reads with the camera, and switches it off", { timeout: 480_000 }, async (t) => {
  const { address } = await serve(t);
  const folder = mkdtempSync(join(tmpdir(), "fingerpost-camera-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const text = "(01)09520123456788(10)ABC(21)12345";
  writeFileSync(
    join(folder, "film.y4m"),
    film(Buffer.from(label(text, { symbol: "gs1-datamatrix", format: "png" }).data)),
  );
  const script = `const [done, result, video] = [arguments[0], document.getElementById("result"), document.getElementById("video")];
    result.replaceChildren();
    document.getElementById("camera").click();
    let track;
    const look = () => {
      track ??= video.srcObject?.getTracks()[0];
      if (result.textContent && video.hidden) done([result.innerText, track?.readyState, camera.textContent]);
      else setTimeout(look, 100);
    };
    look();`;
  let send, found;
  for (let tries = 3; !found; tries--) {
    send = await browser(t, join(folder, "film.y4m"));
    await send("POST", "/url", { url: `${address}/scan.html` });
    found = await send("POST", "/execute/async", { script, args: [] }).catch((error) => {
      // On a busy machine, the camera of some browsers hangs, and everything of the page with it.
      if (tries === 1 || !error.message.includes("script timeout")) throw error;
    });
  }
  const [shown, state, button] = found;
  for (const part of ["Valid", "]d2010952012345678810ABC{GS}2112345", "(21) SERIAL"])
    assert(shown.includes(part), `expected ${part}, found ${shown}`);
  assert.deepEqual([state, button], ["ended", "Use the camera"]);
  await expectNoComplaints(send);
});
