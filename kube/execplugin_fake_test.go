package kube

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// The test binary plays three parts besides its own, so that the tests need no shell:
// the keeper, the plug-ins, and a program on a terminal.
func init() {
	if code, ours := RunPlugin(os.Args); ours {
		os.Exit(code)
	}
	if len(os.Args) > 2 && os.Args[1] == fakeVerb {
		os.Exit(fakePlugin(os.Args[2], os.Args[3:]))
	}
	if len(os.Args) > 3 && os.Args[1] == probeVerb {
		probeOnTerminal(os.Args[2], os.Args[3] == "kept")
		os.Exit(0)
	}
}

const (
	fakeVerb  = "__fake-plugin"
	probeVerb = "__probe"
)

func fakePlugin(mode string, args []string) int {
	credential := `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"good"%s}}`
	switch mode {
	case "token":
		noteRun(args)
		fmt.Printf(credential, "")
	case "expired":
		fmt.Printf(strings.Replace(credential, "good", "old", 1), `,"expirationTimestamp":"2020-01-01T00:00:00Z"`)
	case "fails":
		noteRun(args)
		fmt.Fprintln(os.Stderr, "Traceback: many lines")
		fmt.Fprintln(os.Stderr, "The SSO session has expired,\nrun aws sso login")
		return 3
	case "hangs": // until the one who listens at args[0] ends it
		conn, err := net.Dial("tcp", args[0])
		if err != nil {
			return 9
		}
		signal.Ignore(os.Interrupt)
		_, _ = io.Copy(io.Discard, conn)
	case "asks":
		return askLikeGetpass()
	case "garbage":
		fmt.Print("Logged in as " + secret)
	case "daemon": // leaves a child behind that holds its output
		child := exec.Command(os.Args[0], fakeVerb, "hangs", args[0])
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if child.Start() != nil {
			return 9
		}
		fmt.Printf(credential, "")
	}
	return 0
}

// noteRun adds a line to the file args[0], if there is one.
func noteRun(args []string) {
	if len(args) == 0 {
		return
	}
	f, err := os.OpenFile(args[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, "run")
}

// askLikeGetpass wants the terminal if there is one, else standard input.
func askLikeGetpass() int {
	const prompt = "Enter MFA code: "
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		_, _ = tty.WriteString(prompt)
		return 4
	}
	fmt.Fprint(os.Stderr, prompt)
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		fmt.Fprintln(os.Stderr, "no answer:", err)
		return 5
	}
	return 0
}

// pluginConfig is a kubeconfig whose contexts "plug" and "plug2" share a user with a
// plug-in, and whose context "plain" needs none.
func pluginConfig(t *testing.T, server string, mode ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	argv, err := json.Marshal(append([]string{fakeVerb}, mode...))
	if err != nil {
		t.Fatal(err)
	}
	return writeFile(t, t.TempDir(), "config", fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: k, cluster: {server: %q}}]
users:
- name: u
  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: %q, args: %s, interactiveMode: Always, installHint: install it, env: [{name: T, value: %q}]}}
- name: p
  user: {token: good}
contexts:
- {name: plug, context: {cluster: k, user: u}}
- {name: plug2, context: {cluster: k, user: u}}
- {name: plain, context: {cluster: k, user: p}}
`, server, self, argv, t.Name()))
}

// versionServer answers /version to the token "good". It speaks TLS, as client-go
// gives credentials to nothing else.
func versionServer(t *testing.T) *httptest.Server {
	t.Helper()
	ts := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer good" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"Unauthorized","message":"Unauthorized","code":401}`))
			return
		}
		_, _ = w.Write([]byte(`{"gitVersion":"v1.37.2"}`))
	}))
	t.Cleanup(ts.Close)
	return ts
}

func contextsOf(t *testing.T, kubeconfig, keeper string) *Contexts {
	t.Helper()
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig = &kubeconfig
	insecure := true
	flags.Insecure = &insecure
	c, err := NewContexts(ContextsOptions{Flags: flags, Keeper: keeper})
	if err != nil {
		t.Fatal(err)
	}
	c.patience = time.Hour // a loaded machine is no failure
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// kept makes contexts whose plug-ins run under the keeper. Each of them must be
// reached without the check of the server's certificate.
func kept(t *testing.T, mode ...string) *Contexts {
	t.Helper()
	ts := versionServer(t)
	file := pluginConfig(t, ts.URL, mode...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("cluster: {server:"), []byte("cluster: {insecure-skip-tls-verify: true, server:"), 1)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return contextsOf(t, file, self)
}

// hanging listens for a plug-in of mode "hangs". Each that was started comes through
// the channel, and its connection ends with it.
func hanging(t *testing.T) (address string, started <-chan net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conns := make(chan net.Conn, 10)
	var all []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all = append(all, conn)
			conns <- conn
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
		for _, conn := range all {
			_ = conn.Close()
		}
	})
	return l.Addr().String(), conns
}
