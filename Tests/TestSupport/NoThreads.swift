import Glibc

/// Runs the body while no thread can be created: pthread_create(3) fails with EAGAIN, as at a limit of the
/// number of threads, because a new thread would get a stack that is larger than all memory.
/// - Returns: false if this C library cannot change the default size of a stack. Then the body does not run.
@MainActor public func withoutNewThreads(_ body: () -> Void) -> Bool {
    typealias Function = @convention(c) (UnsafeMutablePointer<pthread_attr_t>) -> Int32
    // GNU extensions, which the module Glibc does not import (pthread_setattr_default_np(3)).
    guard let get = dlsym(nil, "pthread_getattr_default_np"),
        let set = dlsym(nil, "pthread_setattr_default_np")
    else { return false }
    let (read, write) = (unsafeBitCast(get, to: Function.self), unsafeBitCast(set, to: Function.self))
    var (usual, huge) = (pthread_attr_t(), pthread_attr_t())
    guard read(&usual) == 0, read(&huge) == 0 else { return false }
    defer { pthread_attr_destroy(&usual) }
    defer { pthread_attr_destroy(&huge) }
    guard pthread_attr_setstacksize(&huge, 1 << 60) == 0, write(&huge) == 0 else { return false }
    defer { _ = write(&usual) }
    body()
    return true
}
