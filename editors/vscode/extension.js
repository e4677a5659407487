"use strict";

// Starts `cmc lsp` and `cmc dap`. Everything else is in them.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function settings() {
  const all = vscode.workspace.getConfiguration("cmc");
  return { path: all.get("path", "cmc"), arguments: all.get("arguments", []), lint: all.get("lint", true) };
}

async function start() {
  const { path, arguments: words, lint } = settings();
  client = new LanguageClient(
    "cmc",
    "CMC",
    { command: path, args: ["lsp", ...words] },
    {
      documentSelector: [{ language: "promela" }],
      initializationOptions: { withoutLint: !lint },
    },
  );
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`'${path} lsp' cannot be started: ${error.message}. The setting cmc.path names the program.`);
  }
}

async function restart() {
  await client?.stop().catch(() => {});
  await start();
}

function onModel(command) {
  return () => {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId === "promela")
      return vscode.commands.executeCommand(command, editor.document.uri.toString(), "");
  };
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("cmc.checkModel", onModel("cmc.check")),
    vscode.commands.registerCommand("cmc.simulateModel", onModel("cmc.simulate")),
    vscode.commands.registerCommand("cmc.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("cmc") && restart()),
    vscode.debug.registerDebugAdapterDescriptorFactory("cmc", {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(settings().path, ["dap"]),
    }),
    vscode.debug.registerDebugConfigurationProvider("cmc", {
      // F5 without a launch.json.
      resolveDebugConfiguration: (folder, launch) =>
        launch.type ? launch : { type: "cmc", request: "launch", name: "Walk through a run", program: "${file}", stopOnEntry: true },
    }),
  );
  await start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
