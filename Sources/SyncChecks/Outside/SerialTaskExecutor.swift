import Foundation

/// Runs tasks that belong together one after the other, in the order in which they can go on, so that a world in which two
/// things are under way goes the same way each time.
@available(macOS 15, iOS 18, *)
final class SerialTaskExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "world")

    func enqueue(_ job: consuming ExecutorJob) {
        let (job, executor) = (UnownedJob(job), asUnownedTaskExecutor())
        queue.async { job.runSynchronously(on: executor) }
    }
}
